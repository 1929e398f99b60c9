import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kafkaSettings } from '@ranger-relay/bus/kafka';
import { redisSettings } from '@ranger-relay/kv/redis';
import { platformSettings } from '@ranger-relay/platform';
import { parseEnv, type EnvTable } from '@ranger-relay/runtime';
import type { KubeObject } from '../objects.ts';
import { servingPods, type Container } from './pods.ts';

type Tables = Readonly<Record<string, EnvTable>>;
type Rules = Readonly<Record<string, (config: never) => void>>;

const secrets = '/etc/ranger-relay/secrets';

/** Variables of Node and of the machine, which no table has. */
const ofProcess = new Set(['MALLOC_ARENA_MAX', 'NODE_EXTRA_CA_CERTS']);

const containersWith = (objects: readonly KubeObject[], tables: Tables) =>
  servingPods(objects).flatMap(({ title, spec }) =>
    spec.containers.flatMap((container) => {
      const table = tables[container.name];
      return table === undefined ? [] : [{ title, container, table }];
    }),
  );

/** Each variable of a container is one that its service reads. */
export const knownVariables =
  (tables: Tables) =>
  (objects: readonly KubeObject[]): string[] =>
    containersWith(objects, tables).flatMap(({ title, container, table }) => {
      const secret = (name: string): boolean => table[name.replace(/_FILE$/, '')]?.secret === true;
      return (container.env ?? [])
        .map(({ name }) => name)
        .filter((name) => !(name in table) && !(name.endsWith('_FILE') && secret(name)) && !ofProcess.has(name))
        .map((name) => `${title}: ${name} is no variable of the service`);
    });

const certificate = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';

const tokens = '{"5e0c3c5e-0000-4000-8000-000000000001":["a-token-of-the-test"]}';

/** What stands in for a mounted file, by its variable. */
const contentOf = (name: string): string => {
  if (name.includes('CA_FILE')) return certificate;
  return name === 'WEBHOOK_TOKENS_FILE' ? tokens : 'a-secret-of-the-test';
};

/** The container's variables, with files of this machine for those that are mounted. */
const envIn = (folder: string, { env = [] }: Container): NodeJS.ProcessEnv =>
  Object.fromEntries(
    env.map(({ name, value = '' }) => {
      if (!value.startsWith(secrets)) return [name, value];
      const file = join(folder, value.slice(secrets.length + 1));
      writeFileSync(file, contentOf(name));
      return [name, file];
    }),
  );

/** A service starts with the variables of its container: the same code reads them that runs in the pod. */
export const acceptedVariables =
  (tables: Tables, rules: Rules, folder: string) =>
  (objects: readonly KubeObject[]): string[] =>
    containersWith(objects, tables).flatMap(({ title, container, table }) => {
      mkdirSync(folder, { recursive: true });
      try {
        const config = parseEnv(table, envIn(folder, container)) as never;
        if ('KAFKA_BROKERS' in table) {
          kafkaSettings(config, container.name);
          redisSettings(config);
          platformSettings(config);
        }
        rules[container.name]?.(config);
        return [];
      } catch (error) {
        return [`${title}: its service would not start: ${(error as Error).message}`];
      }
    });
