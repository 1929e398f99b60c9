import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The bare limit: a server that reads and parses the same envelope and its data, answers 200, and nothing else. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { message } = JSON.parse(Buffer.concat(chunks).toString()) as { message: { data: string } };
    JSON.parse(Buffer.from(message.data, 'base64').toString());
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 });
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
