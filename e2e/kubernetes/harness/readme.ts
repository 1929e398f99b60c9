import { readFileSync } from 'node:fs';
import { sessionsOf, type Step } from '../../src/harness/console-blocks.ts';
import type { Outside } from './outside.ts';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

/** The recorded steps of the section of the README that tells of the cluster. */
export const clusterSteps: readonly Step[] = sessionsOf(readme, 'On a cluster').flat();

const syncHeading = 'Sync a site from the cluster';

/** The recorded steps of the section that tells of a sync as an object. */
export const syncSteps: readonly Step[] = sessionsOf(readme, syncHeading).flat();

const [syncSection = ''] = readme.split(`## ${syncHeading}\n`)[1]?.split(/^## /m) ?? [];

/** The files that this section shows, by their names. */
export const syncFiles: ReadonlyMap<string, string> = new Map(
  [...syncSection.matchAll(/`([\w-]+\.yaml)`:\n\n```yaml\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);

/** A command of the README on one line, with the addresses of this world in the place of the examples. */
export const typedOn = ({ platform }: Pick<Outside, 'platform'>, { command }: Step): string => {
  const places: Readonly<Record<string, string | undefined>> = {
    'https://api.platform.example': platform.env['PLATFORM_API_BASE_URL'],
    'https://sensors.platform.example': platform.env['PLATFORM_SENSORS_BASE_URL'],
    'https://auth.platform.example/token': platform.env['PLATFORM_TOKEN_URL'],
    'clientId=ranger-relay': `clientId=${platform.env['PLATFORM_CLIENT_ID'] ?? ''}`,
  };
  return Object.entries(places).reduce(
    (line, [example, here]) => line.replace(example, here ?? example),
    command.replaceAll(/\s*\\\n\s*/g, ' '),
  );
};

/** Settings of the README's `helm install`, with the addresses of this world. */
export const installSettings = (outside: Pick<Outside, 'platform'>): readonly string[] => {
  const step = clusterSteps.find(({ command }) => command.startsWith('helm install '));
  if (step === undefined) throw new Error('the README has no helm install');
  return [...typedOn(outside, step).matchAll(/--set (\S+)/g)].flatMap(([, setting = '']) => ['--set', setting]);
};

/** Those of them that name the platform. */
export const platformSettings = (outside: Pick<Outside, 'platform'>): readonly string[] =>
  installSettings(outside).flatMap((setting) => (setting.startsWith('global.platform.') ? ['--set', setting] : []));
