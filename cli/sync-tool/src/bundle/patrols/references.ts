import { UuidTable, UuidWords } from '../identity/uuid.ts';

/** The records of a kind that patrols may refer to, and which of them they do. */
export class References {
  readonly uuids: readonly string[];
  readonly #positions: UuidTable;
  readonly #isUsed: Uint8Array<ArrayBuffer>;

  /** @param uuids canonical, each once */
  constructor(uuids: readonly string[]) {
    const words = new UuidWords();
    this.uuids = uuids;
    this.#positions = new UuidTable(uuids.length);
    this.#isUsed = new Uint8Array(uuids.length);
    for (const [position, uuid] of uuids.entries()) if (words.read(uuid)) this.#positions.add(words, position + 1);
  }

  /** Notes a use; false when there is no such record. */
  use(uuid: UuidWords): boolean {
    const position = this.#positions.get(uuid) - 1;
    if (position < 0) return false;
    this.#isUsed[position] = 1;
    return true;
  }

  /** For each record in the order in which they were given, 1 when it is used. */
  uses(): Uint8Array<ArrayBuffer> {
    return this.#isUsed;
  }

  /** Notes the uses that another reader of the same records found. */
  useAlso(uses: Uint8Array): void {
    for (const [position, isUsed] of uses.entries()) if (isUsed === 1) this.#isUsed[position] = 1;
  }

  /** The uuids of the records that are used. */
  used(): ReadonlySet<string> {
    return new Set(this.uuids.filter((_, position) => this.#isUsed[position] === 1));
  }
}
