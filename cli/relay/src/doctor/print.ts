import { alignColumns, printable, type Shell } from '@ranger-relay/terminal';
import type { Finding } from './finding.ts';

const signOf = ({ paint }: Shell, { status }: Finding): string => {
  if (status === 'ok') return paint.green('ok');
  if (status === 'failed') return paint.red('failed');
  return status === 'warning' ? paint.yellow('warning') : paint.dim('skipped');
};

const rowOf = (shell: Shell, finding: Finding): string[] => {
  const { name, detail, remedy } = finding;
  const text = remedy === undefined ? detail : `${detail.replace(/\.$/, '')}. ${remedy}`;
  return [signOf(shell, finding), printable(name), printable(text)];
};

/** Whether nothing has failed. */
export const isWell = (findings: readonly Finding[]): boolean => findings.every(({ status }) => status !== 'failed');

/** Findings as a table: how it is, what was asked, what was found and what to do. */
export const findingLines = (shell: Shell, findings: readonly Finding[]): string[] =>
  alignColumns(
    findings.map((finding) => rowOf(shell, finding)),
    ['left', 'left', 'left'],
  );
