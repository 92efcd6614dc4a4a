# Applies the policy files beside this one to an environment whenever they change. The address is in zerohop.yaml or in
# ZEROHOP_API, the key in PDP_API_KEY, which is in no state and no plan. No provider is needed.
terraform {
  required_version = ">= 1.4"
}

variable "prune" {
  description = "Also delete what the files manage and do not name."
  type        = bool
  default     = false
}

locals {
  patterns = ["zerohop.yaml", "policy.yaml", "policy/**/*.yaml"]
  files    = setunion([for pattern in local.patterns : fileset(path.module, pattern)]...)
}

resource "terraform_data" "policy" {
  triggers_replace = {
    prune = var.prune
    files = { for file in local.files : file => filesha256("${path.module}/${file}") }
  }

  provisioner "local-exec" {
    working_dir = path.module
    command     = "zerohop apply --yes${var.prune ? " --prune" : ""}"
  }
}
