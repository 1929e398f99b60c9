import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The bare limit: a server that reads and parses the same body, of events or of a command, answers 200, and nothing else. */
const [kind = ''] = process.argv.slice(2);

const answerTo = (body: string): string => {
  if (kind === 'events') {
    const { Events: events } = JSON.parse(body) as { Events: unknown[] };
    return JSON.stringify({ total_observations: events.length, total_messages: 0 });
  }
  const { message } = JSON.parse(body) as { message: { data: string } };
  JSON.parse(Buffer.from(message.data, 'base64').toString());
  return '{}';
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = answerTo(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
