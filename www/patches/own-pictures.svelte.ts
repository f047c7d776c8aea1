import type { PatchChoice } from './choice.js';
import { decodePicture, fingerprintOf, type GreyPicture } from './decode.js';
import { loadPhotograph, PHOTOGRAPHS } from './photographs.js';

/** Most pictures of one's own. */
const MAX_PICTURES = 24;

/** Pictures that were dropped on the page, one after another. */
export class OwnPictures {
  pictures = $state.raw<readonly GreyPicture[]>([]);
  isReading = $state(false);
  #reading: Promise<unknown> = Promise.resolve();
  readonly #onTaken: (fingerprint: string) => void;
  readonly #onError: (error: unknown) => void;

  /** `onTaken` hears the fingerprint of all pictures whenever one has been added. */
  constructor(onTaken: (fingerprint: string) => void, onError: (error: unknown) => void) {
    this.#onTaken = onTaken;
    this.#onError = onError;
  }

  /** Takes a dropped picture, after those before it. */
  read(file: File): void {
    this.isReading = true;
    const reading = this.#reading.then(() => this.#read(file));
    this.#reading = reading;
    void reading.then(() => {
      if (this.#reading === reading) this.isReading = false;
    });
  }

  forget(): void {
    this.pictures = [];
  }

  /** Whether there is a picture to cut patches from. */
  has({ source, photographs }: Pick<PatchChoice, 'source' | 'photographs'>): boolean {
    return source === 'own' ? this.pictures.length > 0 : photographs.length > 0;
  }

  /** The pictures that patches are to be cut from. */
  async chosenBy({ source, photographs }: PatchChoice): Promise<readonly GreyPicture[]> {
    if (source === 'own') return this.pictures;
    const chosen = PHOTOGRAPHS.filter(({ id }) => photographs.includes(id));
    return Promise.all(chosen.map(({ id }) => loadPhotograph(id)));
  }

  async #read(file: File): Promise<void> {
    try {
      if (this.pictures.length >= MAX_PICTURES)
        throw new Error(`This page takes up to ${MAX_PICTURES} pictures.`);
      const pictures = [...this.pictures, await decodePicture(file, file.name)];
      const fingerprint = await fingerprintOf(pictures);
      this.pictures = pictures;
      this.#onTaken(fingerprint);
    } catch (error) {
      this.#onError(error);
    }
  }
}
