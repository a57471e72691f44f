import { describe, expect, it } from 'vitest';
import { readAssembly } from '../../tools/src/local/template/assembly.js';
import { readApp } from '../../tools/src/local/template/template.js';
import { functionResource, writeAssembly } from './assembly-fixture.js';

const read = async (changes: Record<string, unknown>) =>
  readApp(await readAssembly(await writeAssembly(changes)));

describe('the layers of a function', () => {
  const layer = (key: string) => ({
    Type: 'AWS::Lambda::LayerVersion',
    Properties: { Content: { S3Bucket: 'b', S3Key: key } },
  });
  const withLayers = (Layers: unknown, changes: object = {}) =>
    read({
      Worker11112222: {
        ...functionResource,
        Properties: {
          ...functionResource.Properties,
          Layers,
          Environment: {
            Variables: { FILE: '/opt/index.mjs', OTHER: '/opt/other.json', TEXT: 'opt/index.mjs' },
          },
        },
      },
      // The fixture has one asset, which is the function's code as well.
      Settings: layer('abc123.zip'),
      ...changes,
    });
  const variablesOf = (app: Awaited<ReturnType<typeof read>>) => app.functions[0]?.environment;

  it('are where their assets are: a variable that names a file in /opt names it there', async () => {
    const found = await withLayers(['arn:aws:lambda:us-east-1:1:layer:else:1', { Ref: 'Settings' }]);
    const folder = found.functions[0]?.folder;
    expect(variablesOf(found)).toEqual({
      FILE: `${folder}/index.mjs`,
      OTHER: '/opt/other.json',
      TEXT: 'opt/index.mjs',
    });
  });

  it('are not looked into by a function without them', async () => {
    expect(variablesOf(await withLayers(undefined))?.FILE).toBe('/opt/index.mjs');
  });

  it('are refused without their asset, by the name of the layer', async () => {
    const layers = withLayers([{ Ref: 'Settings' }], { Settings: layer('gone.zip') });
    await expect(layers).rejects.toThrow('Settings: the synthesized app has no asset "gone.zip"');
  });
});

it('a function knows neither regions nor targets of events: there are none on this machine', async () => {
  const { Properties } = functionResource;
  const bus = { 'Fn::GetAtt': ['Bus', 'Arn'] };
  const events = Object.fromEntries(
    ['BUS', 'TOPIC', 'QUEUE'].map((kind) => [`BACKLOG_RECORD_EVENTS_${kind}`, bus]),
  );
  const Environment = {
    Variables: {
      BACKLOG_PRIMARY_REGION: 'eu-central-1',
      BACKLOG_INCIDENT_BUS: bus,
      ...events,
      LEVEL: 'INFO',
    },
  };
  const app = await read({
    Worker11112222: { ...functionResource, Properties: { ...Properties, Environment } },
  });
  expect(app.functions[0]?.environment).toEqual({ LEVEL: 'INFO' });
});
