import { Option, InvalidArgumentError } from 'commander';

/** The form of what a command prints. */
export type Output = 'text' | 'json';

/** `--output text|json`. */
export const outputOption = (): Option =>
  new Option('--output <form>', 'what is printed').choices(['text', 'json']).default('text');

/** An id of an integration. @throws InvalidArgumentError */
export const integrationArgument = (text: string): string => {
  if (!/^[\w-]{1,64}$/.test(text))
    throw new InvalidArgumentError('It takes the id of an integration, as the portal shows it.');
  return text;
};

/** A name of an action. @throws InvalidArgumentError */
export const actionArgument = (text: string): string => {
  if (!/^[a-z0-9_]{1,100}$/.test(text)) throw new InvalidArgumentError('It takes a name like pull_events.');
  return text;
};
