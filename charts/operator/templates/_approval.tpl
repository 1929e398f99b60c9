{{/*
Approving is a right of its own: the verb `approve`. RBAC does not know fields, so admission asks for it, by the API server's own rules and no webhook.
*/}}
{{- define "operator.approval" -}}
{{- $name := printf "%s-approver" (include "lib.fullname" .) -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  {{- include "operator.clusterMetadata" (list . $name dict dict) | nindent 2 }}
rules:
  - apiGroups: [ranger-relay.dev]
    resources: [patrolsyncs, patrolsyncrollbacks]
    verbs: [get, list, watch, update, patch, approve]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  {{- include "operator.clusterMetadata" (list . $name dict dict) | nindent 2 }}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - apiGroups: [ranger-relay.dev]
        apiVersions: ['*']
        operations: [CREATE, UPDATE]
        resources: [patrolsyncs, patrolsyncrollbacks]
  variables:
    - name: approve
      expression: "has(object.spec.approve) ? object.spec.approve : ''"
    - name: before
      expression: "oldObject == null || !has(oldObject.spec.approve) ? '' : oldObject.spec.approve"
    - name: name
      expression: "has(object.metadata.name) ? object.metadata.name : ''"
    - name: mayApprove
      expression: >-
        authorizer.group('ranger-relay.dev').resource(request.resource.resource)
        .namespace(request.namespace).name(variables.name).check('approve').allowed()
  validations:
    # Whoever changes the spec of an approved object decides what is applied; taking the approval away and suspending are everybody's.
    - expression: >-
        variables.approve == '' || variables.mayApprove || (variables.approve == variables.before &&
        (object.spec == oldObject.spec || (has(object.spec.suspend) && object.spec.suspend)))
      message: >-
        setting spec.approve, and changing the spec of an object that has it, needs the verb approve, as ClusterRole {{ $name }} has it;
        whoever may edit the object may remove spec.approve and set spec.suspend
      reason: Forbidden
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  {{- include "operator.clusterMetadata" (list . $name dict dict) | nindent 2 }}
spec:
  policyName: {{ $name }}
  validationActions: [Deny]
{{- end -}}
