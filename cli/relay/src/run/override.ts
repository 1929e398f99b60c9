import { InvalidArgumentError } from 'commander';

/** Members that win over the stored configuration. */
export type Overrides = Readonly<Record<string, unknown>>;

const refuse = (problem: string): InvalidArgumentError => new InvalidArgumentError(problem);

const parseObject = (text: string): Overrides => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Overrides;
  } catch {
    // The sentence below says what it takes; the text itself may hold a secret.
  }
  throw refuse('It takes KEY=JSON or an object of JSON like \'{"subwindow_days":2}\'.');
};

const parsePair = (text: string): Overrides => {
  const [, key = '', json = ''] = /^([\w-]{1,100})=([\s\S]*)$/.exec(text) ?? [];
  if (key === '')
    throw refuse('It takes KEY=JSON, like subwindow_days=2 or start_datetime=\'"2026-01-31T00:00:00Z"\'.');
  try {
    return { [key]: JSON.parse(json) as unknown };
  } catch {
    throw refuse(`The value of ${key} is not JSON; a text needs its quotes: ${key}='"…"'.`);
  }
};

/** Takes `KEY=JSON` or a whole object, one after the other; later members win. @throws InvalidArgumentError, which shows no value */
export const overrideOption = (text: string, before: Overrides | undefined): Overrides => ({
  ...before,
  ...(text.trimStart().startsWith('{') ? parseObject(text) : parsePair(text)),
});
