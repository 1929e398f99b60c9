import { z } from 'zod';
import type { ActionAppOptions } from './dependencies.ts';
import { routes, type Route } from './routes.ts';

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const content = (schema: object): object => ({ 'application/json': { schema } });

const operationOf = ({ id, about, open, body, answers }: Route): object => ({
  operationId: id,
  summary: about,
  security: open ? [] : [{ bearer: [] }],
  ...(body ? { requestBody: { required: true, content: content(schemaOf(body, 'input')) } } : {}),
  responses: Object.fromEntries(
    Object.entries(answers).map(([status, { about: description, schema }]) => [
      status,
      { description, content: content(schemaOf(schema, 'output')) },
    ]),
  ),
});

/** The OpenAPI 3.1 document of an action service, built from its routes. */
export const openApiDocument = ({
  title,
  version,
  url,
}: Pick<ActionAppOptions, 'title' | 'version' | 'url'>): object => {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  return {
    openapi: '3.1.0',
    info: { title, version },
    ...(url === undefined ? {} : { servers: [{ url }] }),
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
};
