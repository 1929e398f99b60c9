import type { ExecutionContext } from 'ava';
import type { SetupServer } from 'msw/node';
import { createRecorder, type Responder, type TestServer } from './responder.ts';

/** Above the ports that systems give out; nothing listens there. */
const firstPort = 61_001;

const origins = new Map<string, (request: Request) => Promise<Response>>();
let servers = 0;
let interception: Promise<SetupServer> | undefined;

const originOf = ({ url }: Request): string => new URL(url).origin;

/** Loaded when it is needed: the import takes 0.1 s, and not every process with a loopback server has a mock server. */
const createInterception = async (): Promise<SetupServer> => {
  const [{ http }, { setupServer }] = await Promise.all([import('msw/core/http'), import('msw/node')]);
  return setupServer(
    http.all(
      ({ request }) => origins.has(originOf(request)),
      ({ request }) => origins.get(originOf(request))?.(request),
    ),
  );
};

/**
 * Intercepts the requests to an origin of its own until the test ends. Meanwhile the requests of the process to any other origin fail,
 * so tests that open connections stand in a file of their own, or are serial. No connection breaks or times out here: `loopbackServer`.
 */
export const mockServer = async (
  t: ExecutionContext,
  responders: Responder | readonly Responder[],
): Promise<TestServer> => {
  const { requests, respond } = createRecorder(responders);
  const port = firstPort + servers++;
  const origin = `http://127.0.0.1:${port}`;
  const server = await (interception ??= createInterception());
  if (origins.size === 0) server.listen({ onUnhandledRequest: 'error' });
  origins.set(origin, async (request) => respond(request.method, request.url, request.headers, await request.text()));
  t.teardown(() => {
    origins.delete(origin);
    if (origins.size === 0) server.close();
  });
  return { origin, port, requests };
};
