import { LineTexts } from '../files/line-texts.ts';
import { readFacts, readLinesOf } from '../files/read-lines.ts';
import { withFile } from '../files/with-file.ts';
import { FileFindings } from '../findings.ts';
import { isBlankLine } from '../files/blank-line.ts';
import { parseLine } from '../json/parse-line.ts';
import { References } from '../patrols/references.ts';
import { UsageReader } from '../patrols/usage-reader.ts';
import { ZoneTimestamps } from '../time/zone-timestamps.ts';
import { AheadFindings } from './ahead-findings.ts';
import type { AheadFacts, AheadFile, AheadResult, AheadTask } from './task.ts';

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
