import { z } from 'zod';
import { askSchema, changeSchema, commandSchema, eventSchema, pageSchema, problemSchema } from './schemas.ts';

/** The OpenAPI 3.1 document of the HTTP interface, made from its schemas. */

const schemas = {
  Ask: askSchema,
  Change: changeSchema,
  Command: commandSchema,
  Event: eventSchema,
  Page: pageSchema,
  Problem: problemSchema,
};

const ref = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });
const answer = (description: string, schema: object) => ({ description, content: json(schema) });
const problems = {
  default: { description: 'A problem', content: { 'application/problem+json': { schema: ref('Problem') } } },
};
const number = { name: 'number', in: 'path', required: true, schema: { type: 'integer' } };

const paths = {
  '/v1/commands': {
    get: {
      operationId: 'listCommands',
      summary: 'What this caller may ask',
      responses: {
        200: answer('The commands', {
          type: 'object',
          required: ['commands'],
          properties: { commands: { type: 'array', items: ref('Command') } },
        }),
        ...problems,
      },
    },
  },
  '/v1/requests': {
    post: {
      operationId: 'ask',
      summary: 'Ask for a report or a change',
      parameters: [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'Required for a change: the same key and body give the same change',
          schema: { type: 'string', minLength: 8, maxLength: 200 },
        },
      ],
      requestBody: { required: true, content: json(ref('Ask')) },
      responses: {
        200: answer('A report, or the change that this request made before', { oneOf: [ref('Page'), ref('Change')] }),
        202: answer('The change that was asked for', ref('Change')),
        ...problems,
      },
    },
  },
  '/v1/changes': {
    get: {
      operationId: 'listChanges',
      summary: 'Changes that this caller asked for, the newest first',
      parameters: [
        { name: 'open', in: 'query', required: false, schema: { type: 'boolean' } },
        { name: 'before', in: 'query', required: false, schema: { type: 'integer' } },
      ],
      responses: {
        200: answer('Its changes; `next` is the `before` of older ones', {
          type: 'object',
          required: ['changes', 'next'],
          properties: { changes: { type: 'array', items: ref('Change') }, next: { type: ['integer', 'null'] } },
        }),
        ...problems,
      },
    },
  },
  '/v1/changes/{number}': {
    get: {
      operationId: 'getChange',
      summary: 'A change that this caller asked for',
      parameters: [number],
      responses: { 200: answer('The change', ref('Change')), ...problems },
    },
  },
  '/v1/changes/{number}/events': {
    get: {
      operationId: 'listEvents',
      summary: 'Its events: a list or, with Accept: text/event-stream, a stream that can be resumed by Last-Event-ID',
      parameters: [
        number,
        { name: 'after', in: 'query', required: false, schema: { type: 'integer' } },
        { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } },
      ],
      responses: {
        200: {
          description: 'The events',
          content: {
            ...json({
              type: 'object',
              required: ['events', 'next'],
              properties: {
                events: { type: 'array', items: ref('Event') },
                next: { type: ['integer', 'null'], description: 'The `after` of the others, if there may be more' },
              },
            }),
            'text/event-stream': { schema: { type: 'string' } },
          },
        },
        ...problems,
      },
    },
  },
  '/v1/changes/{number}/cancel': {
    post: {
      operationId: 'cancelChange',
      summary: 'Take it back before it is sent',
      parameters: [number],
      responses: { 200: answer('The change', ref('Change')), ...problems },
    },
  },
};

export const openApi = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Sitehand',
    version: '1',
    description: 'A program can ask; only people can say yes; it happens once.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  security: [{ key: [] }],
  paths,
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    schemas: namedSchemas(),
  },
});

/** The schemas by name; where one contains another, it refers to it. */
function namedSchemas(): unknown {
  const { schemas: made } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(made).map(([name, schema]) => [
      name,
      Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id' && key !== 'id')),
    ]),
  );
}

/** Made with `z.registry`, because a schema that knows its own name would be written as a reference to itself. */
const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
