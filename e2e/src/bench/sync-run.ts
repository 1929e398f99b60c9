import { join } from 'node:path';
import { secondsToPost, type Post } from './post.ts';
import { startSite, syncTool } from './sync-process.ts';
import { atMost, exactly, type Figure } from './table.ts';

const latencyMs = 5;
const inFlight = 4;
const allowed = 1.3;

/** The bare limit: as many writes to a site like it, as many at a time, and nothing else; seconds. */
const bareWrites = async (count: number): Promise<number> => {
  const site = await startSite(latencyMs);
  const json = 'application/json';
  const headers = { authorization: 'Bearer site-token', accept: json, 'content-type': json };
  const choice = { model: 'activity.event', field: 'patrol_bare', ordernum: 0 };
  const postOf = (number: number): Post => {
    const value = `bare_${number}`;
    const body = JSON.stringify({ ...choice, value, display: value });
    return { url: `${site.url}/api/v1.0/choices/`, headers, body };
  };
  return secondsToPost(count, inFlight, postOf, 201).finally(() => site.end());
};

/** Two classes of counts make the choices: stations, and the rest with options, mandates and classes. */
const countsOf = (choices: number, subjects: number): readonly string[] => {
  const [mandates, options, classes] = [10, 20, 4];
  const stations = choices - mandates - 2 * options - classes;
  const flags = { mandates, options, stations, attributes: 2, patrols: subjects * 2, 'tree-nodes': options, logins: 0 };
  // Some of those who never were on a patrol have left, and are not planned.
  const employees = Math.ceil(subjects * 1.02);
  return Object.entries({ ...flags, employees }).flatMap(([name, count]) => [`--${name}`, String(count)]);
};

/** The first and the second run against a site with latency. */
export const benchRuns = async (folder: string, choices: number, subjects: number): Promise<Figure[]> => {
  const bundle = join(folder, 'runs', 'export');
  await syncTool(['bundle', 'sample', bundle, ...countsOf(choices, subjects)]);
  const site = await startSite(latencyMs);
  try {
    const call = ['patrol-datamodel', '--bundle', bundle, ...site.flags];
    const first = await syncTool(call);
    const { writes } = await site.asked();
    const second = await syncTool(call);
    const again = await site.asked();
    const maxSeconds = (allowed * writes * latencyMs) / inFlight / 1000;
    const { seconds: value } = first;
    const name = `sync-tool: first run, ${writes.toLocaleString('en')} writes at ${latencyMs} ms`;
    const bare = await bareWrites(writes);
    return [
      { name, unit: 's', value, bare, bound: `≤ ${maxSeconds.toFixed(1)} s`, holds: value <= maxSeconds },
      { name: 'sync-tool: second run', unit: 's', value: second.seconds },
      exactly('sync-tool: writes of the second run', 'calls', again.writes, 0),
      atMost('sync-tool: reads of the second run', 'calls', again.reads, 30),
    ];
  } finally {
    await site.end();
  }
};
