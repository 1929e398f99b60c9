import { wholeAction, type StateValue } from '@ranger-relay/actions';
import { mask } from '@ranger-relay/runtime';
import { InvalidArgumentError, type Command } from 'commander';
import {
  carryOut,
  placeCommand,
  withChangeOptions,
  withSource,
  type ChangeOptions,
  type StateDependencies,
} from './parts.ts';

/** Records of single events live so long (platform contract, site pull actions). */
const recordMs = 365 * 86_400_000;

const valueArgument = (text: string): StateValue => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('It takes an object of JSON.');
  if (text.includes(mask))
    throw new InvalidArgumentError('It holds a masked value as it was printed; write the true one.');
  return value as StateValue;
};

/** `state set`: puts another state in the place of what is stored. */
export const setCommand = (dependencies: StateDependencies): Command =>
  withChangeOptions(withSource(placeCommand('set').argument('<json>', 'the new state', valueArgument)))
    .description('Put another state in the place of what is stored')
    .addHelpText(
      'after',
      '\nExample:\n  $ ranger-relay state set 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01 pull_events \'{"last_execution":"2026-01-31T00:00:00Z"}\'',
    )
    .action((integration: string, action: string, value: StateValue, options: ChangeOptions) => {
      const { source, if: shown, force = false, output } = options;
      const ttlMs = source === wholeAction ? undefined : recordMs;
      const change = { integration, action, source, make: () => value, shown, force, ttlMs };
      return carryOut(dependencies, 'state set', change, output);
    });
