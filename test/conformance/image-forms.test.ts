// Every case over more forms of an image. Each differs in one step from those of image.test.ts.
import { moreImageDeciders } from '../support/deciders.ts'
import { runCases } from './runner.ts'

runCases(moreImageDeciders)
