// The importer of an account of Permit, or of a server with its API: reads every object of the environment that the key is
// for, and asks its PDP and the written files the same questions.
import { ZerohopError } from '../../model/errors.ts'
import type { Importer, OldEngine, Reading } from '../frame/importer.ts'
import { PermitApi } from './api.ts'
import { readObjects } from './objects.ts'
import { type Asked, makeQuestions } from './questions.ts'

export const importer: Importer = {
  async read(named, options, hear = () => undefined): Promise<Reading> {
    const [url, ...more] = named
    if (url === undefined || more.length > 0)
      throw new ZerohopError('CONFIG_INVALID', { reason: 'name the server: https://api.permit.io' })
    const { pdpUrl, apiKey: key } = options
    // a variable holds it, because others see a command line
    if (typeof key !== 'string' || key === '')
      throw new ZerohopError('CONFIG_INVALID', { reason: 'PDP_API_KEY is the key of an environment of the server' })
    if (typeof pdpUrl !== 'string')
      throw new ZerohopError('CONFIG_INVALID', {
        reason: '--pdp-url names a PDP of the environment, such as http://localhost:7766: it is asked for the proof',
      })
    const api = new PermitApi(url, key, hear)
    const pdp = new PermitApi(pdpUrl, key, hear)
    const scope = (await api.get('/v2/api-key/scope')) as Readonly<Record<string, unknown>> | null
    const { project_id: project, environment_id: environment } = scope ?? {}
    if (typeof project !== 'string' || typeof environment !== 'string')
      throw new ZerohopError('CONFIG_INVALID', { reason: 'PDP_API_KEY is not the key of one environment' })
    const { policy, facts, findings, names } = await readObjects(api, project, environment)
    return {
      imported: {
        ...{ policy, facts, findings, helper: HELPER, questions: makeQuestions(names) },
        open: () => Promise.resolve(openPdp(pdp, pdpUrl)),
      },
      problems: [],
    }
  },
}

const openPdp = (pdp: PermitApi, url: string): OldEngine<Asked> => ({
  name: `the PDP at ${url}`,
  async ask(asked) {
    const { allow } = await pdp.post('/allowed', { ...asked, context: {} })
    if (typeof allow !== 'boolean') throw new Error('the PDP does not answer as that of Permit does')
    return allow
  },
  close: () => Promise.resolve(),
})

const HELPER = `/** What \`permit.check(user, action, resource)\` asked, for \`pdp.check\`: the same. */
export const toQuestion = (user, action, resource) => ({ user, action, resource })
`
