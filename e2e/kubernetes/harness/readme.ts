import { readFileSync } from 'node:fs';
import { sessionsOf, type Step } from '../../src/harness/console-blocks.ts';
import type { Outside } from './outside.ts';

const page = readFileSync(new URL('../../../docs/kubernetes.md', import.meta.url), 'utf8');

/** The recorded steps of the section that installs the charts. */
export const clusterSteps: readonly Step[] = sessionsOf(page, 'On a cluster').flat();

const syncHeading = 'Sync a site from the cluster';

/** The recorded steps of the section that syncs a site by an object. */
export const syncSteps: readonly Step[] = sessionsOf(page, syncHeading).flat();

const [syncSection = ''] = page.split(`## ${syncHeading}\n`)[1]?.split(/^## /m) ?? [];

/** The files that this section shows, by their names. */
export const syncFiles: ReadonlyMap<string, string> = new Map(
  [...syncSection.matchAll(/`([\w-]+\.yaml)`:\n\n```yaml\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);

/** A command of the page on one line, with the addresses of this world in the place of the examples. */
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

/** Settings of the page's `helm install`, with the addresses of this world. */
export const installSettings = (outside: Pick<Outside, 'platform'>): readonly string[] => {
  const step = clusterSteps.find(({ command }) => command.startsWith('helm install '));
  if (step === undefined) throw new Error('docs/kubernetes.md has no helm install');
  return [...typedOn(outside, step).matchAll(/--set (\S+)/g)].flatMap(([, setting = '']) => ['--set', setting]);
};

/** Those of them that name the platform. */
export const platformSettings = (outside: Pick<Outside, 'platform'>): readonly string[] =>
  installSettings(outside).flatMap((setting) => (setting.startsWith('platform.') ? ['--set', setting] : []));
