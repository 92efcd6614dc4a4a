// Every case written by management onto a real disk: followed by its log, and after closing and opening the folder.
import { storeDeciders } from '../support/deciders.ts'
import { runCases } from './runner.ts'

runCases(storeDeciders)
