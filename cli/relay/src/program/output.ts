import { jsonDocument, type Shell } from '@ranger-relay/terminal';
import { Option } from 'commander';

/** `--output`: a form for people, which is the default, JSON, and others. */
export const outputOption = (human: 'text' | 'table' = 'text', ...more: readonly string[]): Option =>
  new Option('--output <form>', 'what is printed').choices([human, 'json', ...more]).default(human);

/** Prints what a command found: as JSON, or as lines for people. */
export const print = (shell: Shell, output: string, found: unknown, lines: () => readonly string[]): void => {
  if (output === 'json') shell.out(jsonDocument(found));
  else for (const line of lines()) shell.out(line);
};
