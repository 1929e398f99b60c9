import { parentPort } from 'node:worker_threads';
import { LineTexts } from '../files/line-texts.ts';
import { isBlankLine, readFacts, readLinesOf } from '../files/read-lines.ts';
import { withFile } from '../files/open-file.ts';
import { type Collecting, FileFindings } from '../findings.ts';
import { parseLine } from '../json/parse-line.ts';
import { References } from '../patrols/references.ts';
import { UsageReader } from '../patrols/usage-reader.ts';
import { ZoneTimestamps } from '../time/timestamp.ts';
import type { AheadFacts, AheadFile, AheadOrder, AheadResult, AheadTask, AheadWarning } from './prefetch.ts';

const maxWarnings = 10_000;

/** What is found ahead: warnings are kept to be told in their place; anything else has to be read again where all is known. */
export class AheadFindings implements Collecting {
  readonly warnings: AheadWarning[] = [];
  /** Nothing was found that cannot be told later. */
  isPlain = true;

  problem(): void {
    this.isPlain = false;
  }

  warn(kind: string, _file: string, line: number, text: string): void {
    if (this.warnings.length < maxWarnings) this.warnings.push({ kind, line, text });
    else this.isPlain = false;
  }
}

const none: readonly string[] = [];

const readerOf = ({ known, classes, zone, expected }: AheadTask, at: FileFindings): UsageReader => {
  const [stations = none, transports = none, mandates = none, employees = none] = known;
  return new UsageReader(
    {
      stations: new References(stations),
      transports: new References(transports),
      mandates: new References(mandates),
      employees: new References(employees),
      classes: new Set(classes),
    },
    new ZoneTimestamps(zone),
    at,
    expected,
  );
};

/** Reads the patrols of a part of a file; null when anything is wrong there, which is to be told by who reads the file from its beginning. */
export const readAhead = async (task: AheadTask): Promise<AheadResult | null> => {
  const findings = new AheadFindings();
  const at = new FileFindings(findings, task.path);
  const reader = readerOf(task, at);
  let records = 0;
  const onLine = (text: string): void => {
    if (isBlankLine(text) || !findings.isPlain) return;
    records += 1;
    const patrol = parseLine(text, at);
    if (patrol !== null) reader.take(patrol);
  };
  await withFile(
    task.root,
    task.path,
    () => findings.problem(),
    (file) => readLinesOf(file, { from: task.from }, new LineTexts(at, onLine, true)),
  );
  return findings.isPlain ? { records, usage: reader.found(), warnings: findings.warnings } : null;
};

/** Who reads the file from its beginning says so. */
const unread = (): void => undefined;

/** Counts and hashes a whole file; null when it cannot be read, or changes meanwhile. */
export const hashAhead = async ({ root, path }: AheadFile): Promise<AheadFacts | null> => {
  let found: AheadFacts | null = null;
  await withFile(root, path, unread, async (file) => {
    const facts = await readFacts(file);
    if (!(await file.isChanged())) found = { ...facts, identity: file.identity };
  });
  return found;
};

const port = parentPort;

const hash = async (order: Extract<AheadOrder, { kind: 'hash' }>): Promise<void> =>
  port?.postMessage(await hashAhead(order.file).catch(() => null), []);

const read = async (order: Extract<AheadOrder, { kind: 'read' }>): Promise<void> => {
  const result = await readAhead(order.task).catch(() => null);
  const { patrols, legs } = result?.usage ?? {};
  port?.postMessage(result, patrols && legs ? [patrols.buffer, legs.buffer] : []);
};

// Answers come in the order of the orders.
let last: Promise<void> = Promise.resolve();
port?.on('message', (order: AheadOrder) => {
  last = last.then(() => (order.kind === 'hash' ? hash(order) : read(order)));
});
