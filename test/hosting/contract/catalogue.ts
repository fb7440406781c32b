import {
  getNextDownloadableBackup,
  listBackups,
  clearCache,
  optimizeImages,
  listFiles,
  getLogs,
  getAllowedIps,
  setAllowedIps,
  setPasswordAccess,
  setPasswordExpiration,
} from '../../../src/hosting/contract/environment.ts';
import {
  listDnsRecords,
  updateDnsRecord,
  addDomain,
  getVerificationRecords,
  listDomains,
  listRedirects,
  updateRedirects,
} from '../../../src/hosting/contract/domains.ts';
import type { EndpointInfo } from '../../../src/hosting/contract/call.ts';
import {
  getOperation,
  listSites,
  restartPhp,
  validateKey,
  cloneSite,
  deleteEnvironment,
  pushEnvironment,
} from '../../../src/hosting/contract/sites.ts';
import {
  listCompanyThemes,
  listEnvironmentThemes,
  listEnvironmentWpThemes,
  updateThemes,
} from '../../../src/hosting/contract/themes.ts';

/** All endpoints in the order of the document; those beyond it (`optional`) come last. */
export const catalogue: readonly EndpointInfo[] = [
  listCompanyThemes,
  listRedirects,
  updateRedirects,
  addDomain,
  getVerificationRecords,
  updateDnsRecord,
  listDnsRecords,
  listDomains,
  cloneSite,
  pushEnvironment,
  deleteEnvironment,
  optimizeImages,
  clearCache,
  updateThemes,
  listEnvironmentThemes,
  setPasswordExpiration,
  setAllowedIps,
  getAllowedIps,
  setPasswordAccess,
  getLogs,
  listFiles,
  getNextDownloadableBackup,
  listBackups,
  getOperation,
  listSites,
  validateKey,
  restartPhp,
  listEnvironmentWpThemes,
];
