import { Agent, request } from 'node:http';

/** One POST. */
export interface Post {
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Posts; resolves with the status of the answer, 0 when there is none. */
export const post = ({ url, headers, body }: Post, agent: Agent): Promise<number> =>
  new Promise((resolve) => {
    const all = { 'content-length': Buffer.byteLength(body), ...headers };
    const call = request(url, { method: 'POST', agent, headers: all }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    call.on('error', () => resolve(0)).end(body);
  });

/** Seconds that so many POSTs take, as many at a time as there are lanes. @throws when one is not answered with `wanted` */
export const secondsToPost = async (
  count: number,
  lanes: number,
  postOf: (number: number) => Post,
  wanted = 200,
): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  let next = 0;
  const begin = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) {
      const status = await post(postOf(next++), agent);
      if (status !== wanted) throw new Error(`a POST was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  agent.destroy();
  return (performance.now() - begin) / 1000;
};
