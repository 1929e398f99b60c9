import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The bare limit: a server that reads and parses the same body and answers 200, and nothing else. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { Events: unknown[] };
    const answer = JSON.stringify({ total_observations: body.Events.length, total_messages: 0 });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
