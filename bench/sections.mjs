// The parts of a run by name, as `--only` takes them.
import { measureChecks } from './checks.mjs'
import { measureApi } from './figures/api.mjs'
import { measureDeltas } from './figures/delta.mjs'
import { measureHttp } from './figures/http.mjs'
import { measureImage } from './figures/image.mjs'
import { measurePdp } from './figures/pdp.mjs'

const FIGURES = { image: measureImage, delta: measureDeltas, http: measureHttp, api: measureApi, pdp: measurePdp }

/** @param {import('./results.mjs').Results} results */
export async function measure(section, results, context) {
  if (section in FIGURES) await FIGURES[section](results, context)
  else await measureChecks(section, results, context)
}
