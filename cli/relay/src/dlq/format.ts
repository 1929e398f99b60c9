import { isUtf8 } from 'node:buffer';
import { jsonOf } from '@ranger-relay/errors';
import { redact } from '@ranger-relay/runtime';
import {
  alignColumns,
  humanAgo,
  humanCount,
  type Paint,
  plural,
  printable,
  printableText,
} from '@ranger-relay/terminal';
import type { LetterMark, StoredLetter } from '@ranger-relay/service';
import type { LetterHead } from './letters.ts';

/** Live letters as lines of a table, with a closing line. */
export const letterTable = (heads: readonly LetterHead[], unreadable: number, now: number, paint: Paint): string[] => {
  const note = unreadable > 0 ? [`${plural(unreadable, 'record')} on the topic cannot be read by this version.`] : [];
  if (heads.length === 0) return ['No dead letters wait.', ...note];
  const rows = heads.map((head) => {
    const style = head.sos ? paint.red : (text: string) => text;
    const kind = head.sos ? `SOS ${head.kind}` : head.kind;
    const cells = [head.id, kind, head.reason, humanAgo(head.failed_at, now), humanCount(head.attempts)];
    return [...cells, head.integration_id ?? '–'].map((cell) => style(printable(cell)));
  });
  const calls = heads.filter(({ sos }) => sos !== null).length;
  const header = ['id', 'kind', 'reason', 'failed', 'tries', 'integration'].map(paint.bold);
  return [
    ...alignColumns([header, ...rows], ['left', 'left', 'left', 'right', 'right', 'left']),
    '',
    `${plural(heads.length, 'dead letter')}${calls > 0 ? `, ${calls} of an SOS` : ''}. Look at one: ranger-relay dlq show <id>`,
    ...note,
  ];
};

/** A letter's head as JSON: what the list prints. */
export const headJson = ({ stored, sos, ...head }: LetterHead): object => ({
  ...head,
  sos: sos?.state ?? null,
  stored_at: new Date(stored.at).toISOString(),
});

/** The body of a letter when it is text, else null. */
export const bodyText = (letter: StoredLetter): string | null => {
  const bytes = Buffer.from(letter.body_base64, 'base64');
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null;
};

const prettyBody = (text: string): string => {
  const value = jsonOf(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
};

/** A whole letter as lines: its fields, then its body, decoded when it is text. */
export const letterLines = (letter: StoredLetter, mark: LetterMark | null, paint: Paint): string[] => {
  const { body_base64: body, headers, origin, ...fields } = letter;
  const rows: [string, string][] = [
    ['state', mark === null ? 'live' : `${mark.state} at ${mark.at}`],
    ...Object.entries(fields).map(([name, value]): [string, string] => [name, value === null ? '–' : String(value)]),
    ['origin', origin === null ? '–' : `${origin.topic}, partition ${origin.partition}, offset ${origin.offset}`],
    ...Object.entries(redact(headers)).map(([name, value]): [string, string] => [`header ${name}`, value]),
  ];
  const text = bodyText(letter);
  const title = text === null ? 'body (not text, base64)' : 'body';
  return [
    ...alignColumns(
      rows.map(([name, value]) => [paint.dim(printable(name)), printable(value)]),
      ['left', 'left'],
    ),
    '',
    paint.dim(letter.truncated ? `${title}, only its start is stored` : title),
    text === null ? body : printableText(prettyBody(text)),
  ];
};
