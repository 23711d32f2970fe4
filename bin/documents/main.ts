import { writeFileSync } from 'node:fs'
import { ERRORS_FILE, errorsDocument } from './errors.ts'
import { SETTINGS_FILE, settingsDocument } from './settings.ts'

writeFileSync(SETTINGS_FILE, settingsDocument())
writeFileSync(ERRORS_FILE, errorsDocument())
