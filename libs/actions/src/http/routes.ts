import { pushEnvelopeSchema } from '@ranger-relay/contracts';
import { z } from 'zod';
import {
  anySchema,
  configEventAnswerSchema,
  errorSchema,
  executeBodySchema,
  failureSchema,
  healthSchema,
  malformedSchema,
  messageSchema,
  skippedSchema,
} from './schemas.ts';

/** The handler of a path. */
export type RouteId = 'health' | 'command' | 'push' | 'actions' | 'execute' | 'configEvents' | 'document';

/** One response of a route. */
export interface RouteAnswer {
  readonly about: string;
  readonly schema: z.ZodType;
}

/** One route. The app and its OpenAPI document are both built from the list of routes. */
export interface Route {
  readonly id: RouteId;
  readonly method: 'get' | 'post';
  /** Without the trailing slash, which is optional. */
  readonly path: string;
  /** Whether the route needs no token. */
  readonly open?: true;
  readonly about: string;
  readonly body?: z.ZodType;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
}

const unauthorized = { 401: { about: 'No token, or one that is refused', schema: errorSchema } };
const unknowable = { 503: { about: 'The token cannot be checked now', schema: errorSchema } };
const tooBusy = {
  408: { about: 'The body did not arrive in time', schema: errorSchema },
  503: { about: 'Too many runs or bodies at a time', schema: z.union([failureSchema, errorSchema]) },
};
const late = { 504: { about: 'The handler did not finish in time', schema: failureSchema } };
const again = { 500: { about: 'To be redelivered', schema: z.union([failureSchema, errorSchema]) } };

/** Every route of an action service (platform contract, runner). */
export const routes: readonly Route[] = [
  {
    id: 'health',
    method: 'get',
    path: '/',
    open: true,
    about: 'Health check; changes nothing',
    answers: { 200: { about: 'It answers', schema: healthSchema } },
  },
  {
    id: 'command',
    method: 'post',
    path: '/',
    about: 'Runs the action that a pushed command names',
    body: pushEnvelopeSchema,
    answers: {
      200: {
        about: 'Handled; failures are dead-lettered and answered with their error',
        schema: z.union([z.object({}), failureSchema, malformedSchema]),
      },
      ...unauthorized,
      ...again,
      ...tooBusy,
      ...late,
    },
  },
  {
    id: 'push',
    method: 'post',
    path: '/push-data',
    about: 'Runs the push action for the pushed data',
    body: pushEnvelopeSchema,
    answers: {
      200: { about: 'The result, or the error of the dead letter', schema: anySchema },
      ...unauthorized,
      ...again,
      ...tooBusy,
      ...late,
    },
  },
  {
    id: 'actions',
    method: 'get',
    path: '/v1/actions',
    about: 'Ids of the actions, sorted',
    answers: { 200: { about: 'The ids', schema: z.array(z.string()) }, ...unauthorized, ...unknowable },
  },
  {
    id: 'execute',
    method: 'post',
    path: '/v1/actions/execute',
    about: 'Runs an action and waits for its result',
    body: executeBodySchema,
    answers: {
      200: { about: 'The result; skipped; queued', schema: z.union([skippedSchema, messageSchema, anySchema]) },
      ...unauthorized,
      404: { about: 'The integration or its configuration is unknown', schema: failureSchema },
      409: { about: 'The integration is disabled', schema: failureSchema },
      413: { about: 'The body is too large', schema: errorSchema },
      422: {
        about: 'The request, the action or its configuration is not valid',
        schema: z.union([malformedSchema, failureSchema]),
      },
      500: {
        about: 'The handler failed, or a dependency is unavailable',
        schema: z.union([failureSchema, errorSchema]),
      },
      ...tooBusy,
      ...late,
    },
  },
  {
    id: 'configEvents',
    method: 'post',
    path: '/config-events',
    about: 'Applies a change of an integration or a configuration to the cache of every service',
    body: pushEnvelopeSchema,
    answers: {
      200: { about: 'Applied, or not for this service', schema: configEventAnswerSchema },
      ...unauthorized,
      500: { about: 'Store or bus is unavailable', schema: errorSchema },
      ...tooBusy,
    },
  },
  {
    id: 'document',
    method: 'get',
    path: '/openapi.json',
    about: 'This document',
    answers: { 200: { about: 'An OpenAPI 3.1 document', schema: anySchema }, ...unauthorized, ...unknowable },
  },
];
