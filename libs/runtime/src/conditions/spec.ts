/** Facts that a sentence may state: codes, counts, short reasons. No secrets, texts or positions. */
export type Details = Readonly<Record<string, string | number>>;

/** `critical`: a call for help may not be received, or a service does not work. `warning`: no person is in danger now. */
export type Severity = 'warning' | 'critical';

/**
 * What a condition is about. Its subject is the id: '' for the installation, an integration id, `<integration>/<action>`,
 * `<integration>/<device>`, `<integration>/<device>/<beginning of the event id>`, the name of a topic or of a service, an upstream or an environment variable, the id that the sender of a webhook named. Of a process it is the service, and its host where others
 * have one too: a fault of one machine does not end because another machine works.
 */
export type SubjectKind =
  | 'installation'
  | 'integration'
  | 'action'
  | 'device'
  | 'sos'
  | 'topic'
  | 'process'
  | 'service'
  | 'upstream'
  | 'sender'
  | 'variable';

/** What a sentence is made of. */
export interface SentenceFacts {
  /** The subject as people know it: for an integration its name, else its id. */
  readonly subject: string;
  /** How often the fault was seen since the condition began. */
  readonly count: number;
  readonly details: Details;
}

/** One condition: what can be wrong, how bad it is, and what to do. */
export interface ConditionSpec {
  readonly subject: SubjectKind;
  readonly severity: Severity;
  /** Its view tells when the fault was seen last, not how long it lasts: it is seen only while somebody asks. */
  readonly tells?: 'last';
  /** A good request ends it only when the fault was not seen for so long, ms: good and bad ones may alternate. */
  readonly quietMs?: number;
  /** It is wrong because its integration is disabled, and does not end when that is disabled. */
  readonly whileDisabled?: true;
  /**
   * While one of its causes holds, the deepest first, it is told with that one; a cause about an integration is one of its own integration alone,
   * unless it may follow `byOthers`. `text` says it of all its subjects.
   */
  readonly follows?: {
    readonly from: (details: Details) => readonly string[];
    readonly byOthers?: true;
    readonly text: (subjects: readonly string[]) => string;
  };
  /** One sentence in the present, without a full stop. */
  readonly sentence: (facts: SentenceFacts) => string;
  /** What to type or to do, one sentence with a full stop. */
  readonly remedy: string;
  /** Runbook of k8s/runbooks, without its ending. */
  readonly runbook: string;
}
