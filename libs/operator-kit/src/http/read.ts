import type { IncomingMessage } from 'node:http';
import { RelayError } from '@ranger-relay/errors';
import type { KubeRequest } from '../api/transport.ts';
import { broken, targetOf } from './exchange.ts';

/** Most bytes of one answer. */
const maxBytes = 64 * 1_048_576;

const unreadable = (request: KubeRequest, problem: string): RelayError =>
  new RelayError('kube_answer_unreadable', {
    details: { target: targetOf(request), problem },
    ambiguous: request.method !== 'GET',
  });

/**
 * The chunks of an answer as they come.
 * @throws RelayError `kube_unreachable` when the connection breaks; the signal's reason once it is aborted
 */
export async function* chunksOf(request: KubeRequest, message: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of message) yield chunk as Uint8Array;
  } catch (error) {
    throw broken(request, error, true);
  }
}

/** The whole answer as text. @throws as `chunksOf`; RelayError `kube_answer_unreadable` when it is too long */
export const readText = async (request: KubeRequest, message: IncomingMessage): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request, message)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw unreadable(request, `over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** A text as JSON. @throws RelayError `kube_answer_unreadable` */
export const parseJson = (request: KubeRequest, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unreadable(request, 'no JSON');
  }
};
