// Images that differ in one thing, asked the same questions in turn in one process.

/** Rounds after which all of it is compiled. */
const WARM = 200

/**
 * A function that asks all the questions, made from its text, so that each is compiled for its own image alone.
 * @throws when a decision is not the right one
 */
export function askAll(name, pdp, questions) {
  const ask = new Function(
    'pdp',
    'questions',
    `return () => { let allowed = 0; for (const { user, resource } of questions) if (pdp.check(user, 'read', resource)) allowed++; return allowed }`,
  )(pdp, questions)
  const wrong = questions.find(({ user, resource, isAllowed }) => pdp.check(user, 'read', resource) !== isAllowed)
  if (wrong) throw new Error(`${name}: ${wrong.user} about ${JSON.stringify(wrong.resource)} is not ${wrong.isAllowed}`)
  const expected = questions.filter(({ isAllowed }) => isAllowed).length
  return () => {
    const allowed = ask()
    if (allowed !== expected) throw new Error(`${name}: ${allowed} are allowed, not ${expected}`)
  }
}

/** Interleaved, the order turned with each round. */
export function measure(works, rounds) {
  for (let round = 0; round < Math.min(WARM, rounds * 4); round++) for (const [, work] of works) work()
  const samples = Object.fromEntries(works.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < works.length; turn++) {
      const [name, work] = works[(turn + round) % works.length]
      const start = performance.now()
      work()
      samples[name].push(performance.now() - start)
    }
  }
  return samples
}
