/** The kinds of objects that a patrol needs on the site; `field` is a custom attribute, `event_type` a category of observations. */
export type RequirementKind =
  | 'transport'
  | 'mandate'
  | 'station'
  | 'class'
  | 'team'
  | 'member'
  | 'field'
  | 'option'
  | 'event_type'
  /** Waypoints of several observations. */
  | 'collection'
  /** What is odd about the patrol itself. */
  | 'fault';

/** One object that patrols need. */
export interface Requirement {
  readonly kind: RequirementKind;
  /** Uuid, key of a class, path of a category, {@link optionKey}, or kind of a fault. */
  readonly key: string;
  /** Patrols that need it, and the place of the first one, as `patrols.jsonl:4`. */
  readonly patrols: number;
  readonly first: string;
  /** Of a member: whether it leads a leg. */
  readonly leads: boolean;
}

/** What is odd about patrols themselves, whatever the site has. */
export type PatrolFaultKind = 'unknown_attribute' | 'unknown_option' | 'text_in_number' | 'leg_span';

/** One kind of fault with the first distinct descriptions. */
export interface PatrolFaults {
  readonly count: number;
  readonly examples: readonly string[];
}

/** What the patrols of a bundle need so that they can be imported. */
export interface PatrolRequirements {
  readonly patrols: number;
  readonly legs: number;
  /** Legs without times. */
  readonly legsWithoutTimes: number;
  readonly all: readonly Requirement[];
  readonly faults: Readonly<Partial<Record<PatrolFaultKind, PatrolFaults>>>;
  /** Number of patrols that need any of these; too low when `isComplete` is false. */
  affectedBy(requirements: Iterable<Requirement>): number;
  /** Whether the bundle has no more patrols than are kept one by one. */
  readonly isComplete: boolean;
}

/** The key of an option of a choice field. */
export const optionKey = (choiceField: string, value: string): string => `${choiceField}/${value}`;

/** Dates such as `2024-03-02`; null or empty where they are not known. */
interface Span {
  readonly start: string | null | undefined;
  readonly end: string | null | undefined;
}

/** What is odd about a leg that ends before it starts. */
export const legEnds = 'a leg ends before it starts';

/** What is odd about the dates of a leg, by those of its patrol; null when nothing is. */
export const spanFault = (leg: Span, patrol: Span): string | null => {
  if (leg.start && leg.end && leg.end < leg.start) return legEnds;
  const isEarly = leg.start && patrol.start && leg.start < patrol.start;
  const isLate = leg.end && patrol.end && leg.end > patrol.end;
  return isEarly || isLate ? 'a leg goes beyond the dates of its patrol' : null;
};

interface Counted {
  readonly index: number;
  readonly kind: RequirementKind;
  readonly key: string;
  patrols: number;
  first: string;
  leads: boolean;
  /** The last patrol that needs it, so that each counts once. */
  last: number;
}

/** Where the reader is. */
export interface Place {
  readonly spot: string;
}

interface CountedFaults {
  count: number;
  readonly examples: Map<string, string>;
}

const examplesKept = 10;

/** Numbers kept of all patrols together: 32 MB, enough for 500,000 patrols of 15 requirements. */
const numbersKept = 8_000_000;

/**
 * Collects what patrols need while they are read, one at a time: each requirement is counted, and a patrol is kept as the numbers of its
 * requirements, so that memory does not depend on the texts of patrols.
 */
export class RequirementCollector {
  readonly #byKind = new Map<RequirementKind, Map<string, Counted>>();
  readonly #all: Counted[] = [];
  readonly #faults = new Map<PatrolFaultKind, CountedFaults>();
  #current: Counted[] = [];
  /** For each patrol the number of its requirements, then these. */
  #numbers = new Uint32Array(4_096);
  #length = 0;
  #isComplete = true;
  #patrols = 0;
  #legs = 0;
  #legsWithoutTimes = 0;

  /** The current patrol needs an object. */
  need(kind: RequirementKind, key: string): Counted {
    let ofKind = this.#byKind.get(kind);
    if (ofKind === undefined) this.#byKind.set(kind, (ofKind = new Map()));
    let counted = ofKind.get(key);
    if (counted === undefined) {
      counted = { index: this.#all.length, kind, key, patrols: 0, first: '', leads: false, last: -1 };
      ofKind.set(key, counted);
      this.#all.push(counted);
    }
    if (counted.last !== this.#patrols) {
      counted.last = this.#patrols;
      this.#current.push(counted);
    }
    return counted;
  }

  /** The current patrol has a member. */
  member(uuid: string, leads: boolean): void {
    const counted = this.need('member', uuid);
    if (leads) counted.leads = true;
  }

  /** The current patrol has a leg. */
  leg(hasTimes: boolean): void {
    this.#legs += 1;
    if (!hasTimes) this.#legsWithoutTimes += 1;
  }

  /** Something is odd about the current patrol. */
  fault(kind: PatrolFaultKind, text: string, { spot }: Place): void {
    let faults = this.#faults.get(kind);
    if (faults === undefined) this.#faults.set(kind, (faults = { count: 0, examples: new Map() }));
    faults.count += 1;
    this.need('fault', kind);
    if (faults.examples.size < examplesKept && !faults.examples.has(text)) faults.examples.set(text, spot);
  }

  /** Ends the current patrol. */
  end(place: Place): void {
    for (const counted of this.#current) {
      if (counted.patrols === 0) counted.first = place.spot;
      counted.patrols += 1;
    }
    this.#keep(this.#current);
    this.#current = [];
    this.#patrols += 1;
  }

  #keep(current: readonly Counted[]): void {
    const length = this.#length + current.length + 1;
    if (length > numbersKept) this.#isComplete = false;
    if (!this.#isComplete) return;
    if (length > this.#numbers.length) {
      const larger = new Uint32Array(Math.min(numbersKept, Math.max(length, this.#numbers.length * 2)));
      larger.set(this.#numbers.subarray(0, this.#length));
      this.#numbers = larger;
    }
    this.#numbers[this.#length] = current.length;
    for (const [at, { index }] of current.entries()) this.#numbers[this.#length + 1 + at] = index;
    this.#length = length;
  }

  /** What all patrols need. */
  requirements(): PatrolRequirements {
    const all = this.#all.filter(({ patrols }) => patrols > 0);
    const faults = [...this.#faults].map(([kind, { count, examples }]) => {
      const texts = Array.from(examples, ([text, place]) => `${text} (${place})`);
      return [kind, { count, examples: texts }] as const;
    });
    return {
      patrols: this.#patrols,
      legs: this.#legs,
      legsWithoutTimes: this.#legsWithoutTimes,
      all,
      faults: Object.fromEntries(faults),
      isComplete: this.#isComplete,
      affectedBy: (requirements) => this.#affectedBy(requirements),
    };
  }

  #affectedBy(requirements: Iterable<Requirement>): number {
    const wanted = new Uint8Array(this.#all.length);
    for (const { kind, key } of requirements) {
      const counted = this.#byKind.get(kind)?.get(key);
      if (counted !== undefined) wanted[counted.index] = 1;
    }
    let affected = 0;
    for (let at = 0; at < this.#length;) {
      const end = at + 1 + (this.#numbers[at] ?? 0);
      let isAffected = false;
      for (at += 1; at < end; at += 1) isAffected ||= wanted[this.#numbers[at] ?? 0] === 1;
      if (isAffected) affected += 1;
    }
    return affected;
  }
}
