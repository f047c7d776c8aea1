/** The settings of a lab that takes files: where its data come from, and the identity of the file of a link. */
interface FileSettings {
  readonly data: string;
  readonly file: string;
}

/** A visitor's file, beside what a link says of one: a link holds the file's identity, by which it is known again, and no data. */
export class OwnFile<T extends { readonly id: string }> {
  /** What was read last; none before a file was given. */
  content = $state.raw<T>();
  reading = $state(false);
  #mismatch = $state('');
  #numReads = 0;
  readonly #settings: () => FileSettings;
  readonly #sizeOf: ((id: string) => string) | undefined;

  /** `sizeOf` is the size of a file in words, where its identity has it. */
  constructor(settings: () => FileSettings, sizeOf?: (id: string) => string) {
    this.#settings = settings;
    this.#sizeOf = sizeOf;
  }

  /** What there is to say about the file of a link. */
  readonly notice = $derived.by(() => {
    const { data, file } = this.#settings();
    if (data !== 'own') return '';
    if (this.content || file === '') return this.#mismatch;
    const size = this.#sizeOf ? ` of ${this.#sizeOf(file)}` : '';
    return `This link was made with a file${size}. A link holds no data: drop that file here to go on.`;
  });

  /** The identity for settings with this source of data. */
  idFor(data: string): string {
    return data === 'own' ? (this.content?.id ?? '') : '';
  }

  /** Forgets the file, unless it is that of these settings. */
  keepFor({ data, file }: FileSettings): void {
    if (data !== 'own' || file !== this.content?.id) this.content = undefined;
  }

  forgetMismatch(): void {
    this.#mismatch = '';
  }

  /** Does not take over what is being read. */
  close(): void {
    this.#numReads += 1;
  }

  /**
   * Takes a file over as soon as it is read, unless another one was given since. `take` hears whether it is the one that a
   * link was made with. If it cannot be read, this throws what `reading` throws, and nothing changes.
   */
  async read(reading: Promise<T>, take: (isPromised: boolean, content: T) => void): Promise<void> {
    this.#numReads += 1;
    const at = this.#numReads;
    const isLatest = () => at === this.#numReads;
    this.reading = true;
    try {
      const content = await reading;
      if (!isLatest()) return;
      const { data, file } = this.#settings();
      const expected = data === 'own' && !this.content ? file : '';
      const isPromised = expected === content.id;
      this.content = content;
      take(isPromised, content);
      const size = this.#sizeOf && expected ? `, of ${this.#sizeOf(expected)},` : ',';
      this.#mismatch =
        isPromised || expected === ''
          ? ''
          : `The link was made with another file${size} so the result will not be that of the link.`;
    } catch (error) {
      if (isLatest()) throw error;
    } finally {
      if (isLatest()) this.reading = false;
    }
  }
}
