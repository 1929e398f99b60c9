import { RelayError } from '@ranger-relay/errors';
import { redact } from '@ranger-relay/runtime';
import { Command } from 'commander';
import { printableJson } from '@ranger-relay/terminal';
import { withStores } from '../../program/stores.ts';
import { bodyText, letterLines } from '../format.ts';
import { readLetters } from '../letters.ts';
import { letterMark } from '@ranger-relay/service';
import { outputOption, type DlqDependencies } from './parts.ts';

/** `dlq show`: one letter whole, also one that was replayed or dropped while the topic keeps it. */
export const showCommand = ({ shell, openStores }: DlqDependencies): Command =>
  new Command('show')
    .description('Print a dead letter with all its fields and its body')
    .argument('<id>', 'id of a dead letter')
    .addOption(outputOption('text'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay dlq show 5f0c9a52-7d3e-4a41-9a2e-0c5f3f4b8d11')
    .action((id: string, { output }: { output: string }) =>
      withStores(openStores, async ({ bus, kv }) => {
        const letter = (await readLetters(bus, new Set([id]))).get(id);
        if (!letter) throw new RelayError('dead_letter_unknown', { details: { id: id.slice(0, 100) } });
        const mark = await letterMark(kv.state, id);
        if (output === 'json') {
          const text = bodyText(letter);
          const shown = { state: mark?.state ?? 'live', ...letter, headers: redact(letter.headers), body_text: text };
          return shell.out(printableJson(shown, 2));
        }
        for (const line of letterLines(letter, mark, shell.paint)) shell.out(line);
      }),
    );
