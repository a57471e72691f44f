import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

const require = createRequire(import.meta.url);
const FONT_FILES = [
  require.resolve('@expo-google-fonts/pt-sans/400Regular/PTSans_400Regular.ttf'),
  require.resolve('@expo-google-fonts/pt-sans/700Bold/PTSans_700Bold.ttf'),
];
/** Sharp on paper, and on screens with two pixels for one. */
const SCALE = 2;

let ready: Promise<void> | undefined;

/** Draws an SVG with the fonts that come with this package: the same picture on a machine that has none. */
export async function toPng(svg: string): Promise<Uint8Array> {
  ready ??= readFile(require.resolve('@resvg/resvg-wasm/index_bg.wasm')).then((wasm) => initWasm(wasm));
  const [fontBuffers] = await Promise.all([Promise.all(FONT_FILES.map((file) => readFile(file))), ready]);
  const drawing = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: SCALE },
    font: { fontBuffers, defaultFontFamily: 'PT Sans', sansSerifFamily: 'PT Sans' },
  });
  return drawing.render().asPng();
}
