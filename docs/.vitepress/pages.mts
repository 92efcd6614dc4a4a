/** Every page of the site in the order of its navigation: sections, and in each the text of the link and the document. */
export const SECTIONS: readonly (readonly [
  section: string,
  pages: readonly (readonly [text: string, name: string])[],
])[] = [
  [
    'Start',
    [
      ['Quick start', 'quick-start'],
      ['An application, from end to end', 'node-application'],
      ['Library', 'library'],
      ['Middleware', 'middleware'],
      ['In the browser', 'browser'],
      ['Filters', 'filters'],
      ['Filters in databases', 'filters-in-databases'],
      ['Lists and single rows', 'list-and-detail'],
      ['Clients', 'clients'],
      ['Bundlers and runtimes', 'runtimes'],
    ],
  ],
  [
    'Policy',
    [
      ['Console', 'console'],
      ['Policy files', 'policy-file'],
      ['Files of facts', 'facts-file'],
      ['Plan and apply', 'plan-and-apply'],
      ['Tests of a policy', 'policy-tests'],
      ['Why', 'explain'],
      ['Access review', 'access-review'],
      ['Access diff', 'access-diff'],
      ['Past decisions', 'past-decisions'],
    ],
  ],
  [
    'Operate',
    [
      ['Production', 'production'],
      ['Operations', 'operations'],
      ['Decision log', 'decision-log'],
      ['Replicas', 'replicas'],
      ['Integration backend', 'integration'],
      ['Migration from v1', 'migration'],
    ],
  ],
  [
    'Reference',
    [
      ['Semantics', 'semantics'],
      ['Cases', 'cases'],
      ['Conditions', 'conditions'],
      ['HTTP API', 'http-api'],
      ['PDP API', 'pdp-api'],
      ['AuthZEN', 'authzen'],
      ['Errors', 'errors'],
      ['Limits', 'limits'],
      ['Glossary', 'glossary'],
    ],
  ],
  [
    'Design',
    [
      ['Architecture', 'architecture'],
      ['Promises', 'promises'],
      ['Track record', 'track-record'],
      ['What was run', 'runs'],
      ['Feed', 'feed'],
      ['Memory of an image', 'kernel-memory'],
      ['Measurements', 'bench/README'],
      ['Mutants', 'mutants'],
      ['Decisions', 'adr/README'],
    ],
  ],
]
