// A suite of Jest that loads the package with `require`.
const { ERRORS, isZerohopError, loadImage, ZerohopError } = require('zerohop')

test('decides', () => {
  const pdp = loadImage(process.env.HELLO_IMAGE)
  expect([pdp.check('ana', 'say', 'hello'), pdp.check('ben', 'say', 'hello')]).toEqual([true, false])
})

test('throws errors that can be told', async () => {
  const pdp = loadImage(process.env.HELLO_IMAGE, { strict: true })
  expect(() => pdp.check('ana', 'sya', 'hello')).toThrow(ZerohopError)
  await pdp.close()
  try {
    pdp.check('ana', 'say', 'hello')
  } catch (error) {
    expect([isZerohopError(error, 'CLOSED'), error.code in ERRORS]).toEqual([true, true])
  }
  expect.assertions(2)
})
