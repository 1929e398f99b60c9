import { upEnv, type UpConfig } from './config.ts';

/** Variables that commands beside `up` read as `up` does. */
const repeated = ['DATA_DIR', 'PUSHER_PORT'] as const;

const quoted = (value: string): string => (/^[\w./:-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);

/** What another terminal must be told before a command, as `NAME=value`: what differs from the defaults. */
export const settingsToRepeat = (config: Pick<UpConfig, (typeof repeated)[number]>): readonly string[] =>
  repeated
    .filter((name) => String(config[name]) !== upEnv[name].default)
    .map((name) => `${name}=${quoted(String(config[name]))}`);
