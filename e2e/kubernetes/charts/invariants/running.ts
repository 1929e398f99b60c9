import { at } from '../place.ts';
import type { KubeObject } from '../objects.ts';
import { containersOf, podsOf, servingPods, type Container } from './pods.ts';

type Titled = { readonly title: string; readonly container: Container };

const everyContainer = (objects: readonly KubeObject[]): readonly Titled[] => podsOf(objects).flatMap(containersOf);

const imageProblems = ({ title, container: { image = '', imagePullPolicy } }: Titled): string[] => [
  ...(/:(?!latest$)[\w.-]+$|@sha256:[0-9a-f]{64}$/.test(image) ? [] : [`${title}: the image ${image} may change`]),
  ...(['IfNotPresent', 'Never'].includes(String(imagePullPolicy))
    ? []
    : [`${title}: imagePullPolicy is ${String(imagePullPolicy)}`]),
];

/** Each image is one image for ever, and nobody asks the registry for one that is there. */
export const pinnedImages = (objects: readonly KubeObject[]): string[] =>
  everyContainer(objects).flatMap(imageProblems);

const units: Readonly<Record<string, number>> = { Mi: 1, Gi: 1_024, M: 1e6 / 1_048_576, G: 1e9 / 1_048_576 };

/** A size in MiB; NaN for what is none. */
export const mebibytes = (size: unknown): number => {
  const [, number, unit = ''] = /^(\d+)(Mi|Gi|M|G)$/.exec(String(size)) ?? [];
  return Number(number) * (units[unit] ?? Number.NaN);
};

const heapOf = ({ args = [] }: Container): number =>
  Number(/^--max-old-space-size=(\d+)$/.exec(args.find((arg) => arg.startsWith('--max-old-space-size')) ?? '')?.[1]);

const resourceProblems = ({ title, container }: Titled): string[] => {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const missing = [
    ...['cpu', 'memory', 'ephemeral-storage'].filter((name) => !(name in requests)).map((name) => `requests.${name}`),
    ...['memory', 'ephemeral-storage'].filter((name) => !(name in limits)).map((name) => `limits.${name}`),
  ];
  const [heap, limit] = [heapOf(container), mebibytes(limits['memory'])];
  return [
    ...missing.map((name) => `${title}: has no ${name}`),
    ...(heap <= limit - 64 ? [] : [`${title}: a heap of ${heap} MiB is too much for a limit of ${limit} MiB`]),
  ];
};

/** Every container says what it needs and has a bound, and the heap of Node stays below it. */
export const boundedResources = (objects: readonly KubeObject[]): string[] =>
  everyContainer(objects).flatMap(resourceProblems);

/** What is kept for a while has a bound. */
export const boundedScratch = (objects: readonly KubeObject[]): string[] =>
  podsOf(objects).flatMap(({ title, spec }) =>
    (spec.volumes ?? [])
      .filter((volume) => 'emptyDir' in volume && at(volume, 'emptyDir.sizeLimit') === undefined)
      .map((volume) => `${title}: the volume ${volume.name} has no bound`),
  );

const probes = { startupProbe: '/livez', readinessProbe: '/readyz', livenessProbe: '/livez' };

/** Three probes that ask what they should, at a port that there is. */
export const threeProbes = (objects: readonly KubeObject[]): string[] =>
  servingPods(objects)
    .flatMap(({ title, spec }) => spec.containers.map((container) => ({ title, container })))
    .flatMap(({ title, container }) =>
      Object.entries(probes).flatMap(([name, path]) => {
        const port = at(container, `${name}.httpGet.port`);
        const isThere = (container.ports ?? []).some((each) => each.name === port);
        return at(container, `${name}.httpGet.path`) === path && isThere
          ? []
          : [`${title}: ${name} does not ask ${path} at a named port of the container`];
      }),
    );

/** Ports have names, so that what refers to them goes on when their numbers change. */
export const namedPorts = (objects: readonly KubeObject[]): string[] =>
  everyContainer(objects).flatMap(({ title, container }) =>
    (container.ports ?? [])
      .filter(({ name }) => name === undefined)
      .map(({ containerPort }) => `${title}: the port ${containerPort} has no name`),
  );
