import { Command } from 'commander';

/** A command as the list of all shows it; `load` brings what it does. */
export interface LazyCommand<Context> {
  /** The same sentence that the command says of itself. */
  readonly description: string;
  readonly load: () => Promise<(context: Context) => Command>;
}

/**
 * All commands of a tool: whole those that are wanted, of the others name and description alone. A call is not to wait for what is not
 * called, nor to keep it in memory.
 * @param wanted names that a call may need; every argument of it may be given
 */
export const loadCommands = <Context>(
  entries: Readonly<Record<string, LazyCommand<Context>>>,
  context: Context,
  wanted: readonly string[],
): Promise<Command[]> =>
  Promise.all(
    Object.entries(entries).map(async ([name, { description, load }]) =>
      wanted.includes(name) ? (await load())(context) : new Command(name).description(description),
    ),
  );
