const made = './follow.cjs' // of ../follow.mjs, by the run
const { follow } = require(made)

test('follows', () => follow(JSON.parse(process.env.FOLLOW)), 600_000)
