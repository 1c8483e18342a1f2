# the job that plans
export KUBE_TOKEN=$(kubectl create token terraform-plan --namespace shop --duration 15m)
terraform plan -out saved.tfplan

# the job that applies, after somebody has looked at the plan
export KUBE_TOKEN=$(kubectl create token terraform-apply --namespace shop --duration 15m)
terraform apply saved.tfplan
