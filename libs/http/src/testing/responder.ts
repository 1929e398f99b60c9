/** A request as a test server received it. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Responder = (request: ReceivedRequest) => Response | Promise<Response>;

export interface TestServer {
  /** `http://127.0.0.1:` and `port`. */
  readonly origin: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
}

/** Records requests. Responders respond in turn, the last one from then on. */
export const createRecorder = (responders: Responder | readonly Responder[]) => {
  const list = typeof responders === 'function' ? [responders] : responders;
  const requests: ReceivedRequest[] = [];
  return {
    requests,
    async respond(method: string, url: string, headers: Iterable<readonly [string, unknown]>, body: string) {
      const { pathname: path, search, searchParams: query } = new URL(url);
      const texts = Object.fromEntries([...headers].map(([name, value]) => [name, String(value)]));
      const request = { method, url: `${path}${search}`, path, query, headers: texts, body };
      requests.push(request);
      const respond = list[requests.length - 1] ?? list.at(-1);
      return respond?.(request) ?? Response.error();
    },
  };
};

/** A response of a loopback server whose body breaks off. */
export const cutResponse = (text: string, init: ResponseInit = {}): Response => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => controller.error(new Error('cut')),
  });
  return new Response(body, { ...init, headers: { 'content-length': String(text.length + 1) } });
};
