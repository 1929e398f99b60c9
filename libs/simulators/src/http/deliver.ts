import type { ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

const sendWhole = (response: ServerResponse, answer: Answer): void => {
  const body = answer.bytes ?? answer.body ?? '';
  const length = answer.status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  response.end(body);
};

const sendHalf = (response: ServerResponse, answer: Answer): void => {
  const body = Buffer.from(answer.bytes ?? answer.body ?? '{"detail":"cut"}');
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(body.length) });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.destroy());
};

/** Carries an answer out on the connection, and tells the answer's `onEnd` how it went. */
export const deliver = (response: ServerResponse, answer: Answer): void => {
  const { delivery = 'send', onEnd } = answer;
  if (response.destroyed || response.socket === null) return onEnd?.(false);
  let told = false;
  const tell = (sent: boolean): void => {
    if (!told) onEnd?.(sent);
    told = true;
  };
  response.once('finish', () => tell(delivery === 'send'));
  response.once('close', () => tell(false));
  if (delivery === 'send') sendWhole(response, answer);
  if (delivery === 'half') sendHalf(response, answer);
  if (delivery === 'reset') response.socket.resetAndDestroy();
};
