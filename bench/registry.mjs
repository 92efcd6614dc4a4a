// Who is measured, under which name, from which file. A form says how the candidate is asked:
//   shared   the strings of a check are the very strings the policy was made from
//   fresh    the strings are new in every pass, as a JSON parser makes them
// `core` candidates share a process and are interleaved; each peer runs in a process of its own beside hand-written.

/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {string} file
 * @property {string} [rules] the file for worlds with rules about attributes; none: it does not load them
 * @property {'shared' | 'fresh'} form
 * @property {'core' | 'peer'} group
 * @property {string} baseline the candidate that its ratio to hand-written is taken against
 * @property {string[]} [flags] of Node, for the process of a peer
 */

const core = (name, file, form = 'shared', rules = undefined) => ({
  name,
  file,
  rules,
  form,
  group: 'core',
  baseline: form === 'fresh' ? 'hand-written (fresh strings)' : 'hand-written',
})
const peer = (name, file, rules = undefined, flags = []) => ({
  name,
  file,
  rules,
  form: 'shared',
  group: 'peer',
  baseline: 'hand-written',
  flags,
})

/** @type {Candidate[]} */
const CANDIDATES = [
  core('zerohop check', 'zerohop-check', 'shared', 'rules/zerohop'),
  core('zerohop check (fresh strings)', 'zerohop-check', 'fresh', 'rules/zerohop'),
  core('zerohop subject.can', 'zerohop-subject'),
  core('zerohop permission.allows', 'zerohop-permission'),
  core('hand-written', 'hand-written', 'shared', 'rules/hand-written'),
  core('hand-written (fresh strings)', 'hand-written', 'fresh', 'rules/hand-written'),
  core('hand-tuned', 'hand-tuned', 'shared', 'rules/hand-tuned'),
  core('hand-tuned (fresh strings)', 'hand-tuned', 'fresh', 'rules/hand-tuned'),
  core('bitset floor', 'bitset-floor'),
  // From the quick to the slow ones, so that --quick gets to most of them.
  peer('@casl/ability', 'casl', 'rules/casl'),
  peer('accesscontrol', 'accesscontrol'),
  peer('opa-wasm', 'opa'),
  peer('oso', 'oso', 'rules/oso'),
  // Node 20 aborts when its optimising compiler inlines some calls of this module (peers that do not need the flag do
  // not get it).
  peer('@cedar-policy/cedar-wasm', 'cedar', 'rules/cedar', ['--no-turbo-inline-js-wasm-calls']),
  peer('casbin', 'casbin', 'rules/casbin'),
  peer('@cerbos/embedded-server', 'cerbos'),
]

export const candidate = (name) => CANDIDATES.find((known) => known.name === name)
export const CORE = CANDIDATES.filter(({ group }) => group === 'core')
export const PEERS = CANDIDATES.filter(({ group }) => group === 'peer')
