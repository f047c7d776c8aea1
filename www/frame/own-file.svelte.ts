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

  /**
   * Takes a file over as soon as it is read. `take` hears whether it is the one that a link was made with. If it cannot be
   * read, this throws what `reading` throws, and nothing changes.
   */
  async read(reading: Promise<T>, take: (isPromised: boolean) => void): Promise<void> {
    this.reading = true;
    try {
      const content = await reading;
      const { data, file } = this.#settings();
      const expected = data === 'own' && !this.content ? file : '';
      const isPromised = expected === content.id;
      this.content = content;
      take(isPromised);
      const size = this.#sizeOf && expected ? `, of ${this.#sizeOf(expected)},` : ',';
      this.#mismatch =
        isPromised || expected === ''
          ? ''
          : `The link was made with another file${size} so the result will not be that of the link.`;
    } finally {
      this.reading = false;
    }
  }
}
