/** How an answer is sent: complete, never, as a broken connection, or cut in the middle of the body. */
export type Delivery = 'send' | 'hang' | 'reset' | 'half';

/** Result of a handler. */
export interface SimulatedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In place of `body`, for what is no text. */
  readonly bytes?: Uint8Array;
  readonly delivery?: Delivery;
  /** Told once: true when the whole answer was handed to the network, false when the connection ended before. */
  readonly onEnd?: (sent: boolean) => void;
}

/** A request whose body has not been read yet. */
export interface SimRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Address that it came from; undefined when the connection is already gone. */
  readonly caller: string | undefined;
  /** The whole body. @throws BodyTooLarge, or an error when the connection broke */
  body(): Promise<Buffer>;
}

/** The body is larger than the simulator reads. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** The JSON of a request's body; undefined when it is none. */
export const bodyJson = async (request: SimRequest): Promise<unknown> => {
  const text = (await request.body()).toString();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** A JSON answer. */
export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SimulatedResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});
