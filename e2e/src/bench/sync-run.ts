import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { startSite, syncTool } from './sync-process.ts';
import type { Figure } from './table.ts';

const latencyMs = 5;
const inFlight = 4;
const allowed = 1.3;

const postChoice = (url: string, agent: Agent, number: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const value = `bare_${number}`;
    const body = JSON.stringify({ model: 'activity.event', field: 'patrol_bare', value, display: value, ordernum: 0 });
    const headers = {
      authorization: 'Bearer site-token',
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const call = request(`${url}/api/v1.0/choices/`, { method: 'POST', agent, headers }, (answer) => {
      const end = (): void => (answer.statusCode === 201 ? resolve() : reject(new Error(`${answer.statusCode}`)));
      answer.resume().on('end', end);
    });
    call.on('error', reject).end(body);
  });

/** The bare limit: as many writes to a site like it, as many at a time, and nothing else. */
const bareWrites = async (count: number): Promise<number> => {
  const site = await startSite(latencyMs);
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  let next = 0;
  const begin = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) await postChoice(site.url, agent, next++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - begin) / 1000;
  agent.destroy();
  await site.end();
  return seconds;
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
    const least = (writes * latencyMs) / inFlight / 1000;
    return [
      {
        name: `sync-tool: first run, ${writes.toLocaleString('en')} writes at ${latencyMs} ms`,
        unit: 's',
        value: first.seconds,
        bare: await bareWrites(writes),
        bound: `≤ ${(allowed * least).toFixed(1)} s`,
        holds: first.seconds <= allowed * least,
      },
      { name: 'sync-tool: second run', unit: 's', value: second.seconds },
      {
        name: 'sync-tool: writes of the second run',
        unit: 'calls',
        value: again.writes,
        bound: '0',
        holds: again.writes === 0,
      },
      {
        name: 'sync-tool: reads of the second run',
        unit: 'calls',
        value: again.reads,
        bound: '≤ 30',
        holds: again.reads <= 30,
      },
    ];
  } finally {
    await site.end();
  }
};
