import { parseState } from '@ranger-relay/actions';
import { printableJson } from '@ranger-relay/terminal';
import type { Command } from 'commander';
import { masked } from '../actions/masked.ts';
import { outputOption, type Output } from '../actions/options.ts';
import { withStores } from '../program/stores.ts';
import { keyOf } from './change.ts';
import { leaseSource } from './entries.ts';
import { placeCommand, withSource, type StateDependencies } from './parts.ts';
import { revisionOf } from './revision.ts';

/** `state get`: one stored state with its revision. */
export const getCommand = ({ shell, openStores }: StateDependencies): Command =>
  withSource(placeCommand('get'))
    .description('Print the state of an action, such as its watermark')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay state get 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01 pull_events')
    .action(
      (integration: string, action: string, { source, output }: { readonly source: string; readonly output: Output }) =>
        withStores(openStores, async ({ kv }) => {
          const key = keyOf({ integration, action, source });
          const text = await kv.state.get(key);
          const revision = revisionOf(text);
          const value = text === null || source === leaseSource ? text : masked(parseState(key, text));
          if (output === 'json') return shell.out(printableJson({ key, revision, value }, 2));
          shell.out(value === null ? 'Nothing is stored.' : printableJson(value, 2));
          shell.out(`revision ${revision}`);
        }),
    );
