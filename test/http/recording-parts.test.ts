/** Uploads in parts: one table of tests, on the disk and on S3. `test-media` runs it on a server of others. */
import { openStorageHouse, STORAGES } from "../support/media-storages.ts"
import { describeParts } from "../support/parts-suite.ts"

for (const kind of STORAGES) describeParts(kind, () => openStorageHouse(kind))
