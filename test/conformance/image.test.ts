// Every case over the definition and over the ways in which an image comes about; image-forms.test.ts has more of them.
import { imageDeciders, reference } from '../support/deciders.ts'
import { runCases } from './runner.ts'

runCases([reference, ...imageDeciders])
